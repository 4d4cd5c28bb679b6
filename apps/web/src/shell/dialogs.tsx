import { Controls } from '#shared/theme/controls.tsx';
import { ReadyExports, type Ready } from '#widgets/export-button/ready-exports.tsx';
import { ProofDialog } from '#widgets/second-factor/proof-dialog.tsx';
import { Discarding } from './discarding.tsx';
import { EditPassword } from './edit-password.tsx';
import { EnrolFirst } from './enrol-first.tsx';
import { KeySheet } from './key-sheet.tsx';
import { LoginExpired } from './login-expired.tsx';
import { Profile } from './profile.tsx';

/** The dialogs above the pages. */
export function Dialogs({ exports }: { exports: readonly Ready[] }) {
  return (
    <Controls>
      <Profile />
      <KeySheet />
      <EditPassword />
      <EnrolFirst />
      <LoginExpired />
      <ProofDialog />
      <Discarding />
      <ReadyExports exports={exports} />
    </Controls>
  );
}
