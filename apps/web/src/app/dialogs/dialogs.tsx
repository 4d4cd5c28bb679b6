import { Controls } from '#kit/theme/controls.tsx';
import { ReadyExports, type Ready } from '#kit/export-button/ready-exports.tsx';
import { ProofDialog } from '#domain/second-factor/proof-dialog.tsx';
import { Discarding } from './discarding.tsx';
import { EditPassword } from '#app/account/edit-password.tsx';
import { EnrolFirst } from '#app/account/enrol-first.tsx';
import { HelpDrawer } from '#app/help/help-drawer.tsx';
import { LoginExpired } from '#app/account/login-expired.tsx';
import { Profile } from '#app/account/profile.tsx';

/** The dialogs above the pages. */
export function Dialogs({ exports }: { exports: readonly Ready[] }) {
  return (
    <Controls>
      <Profile />
      <HelpDrawer />
      <EditPassword />
      <EnrolFirst />
      <LoginExpired />
      <ProofDialog />
      <Discarding />
      <ReadyExports exports={exports} />
    </Controls>
  );
}
