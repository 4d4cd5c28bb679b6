import { to } from '@hes/contract/page/links.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useMe } from '#core/api/may.ts';
import { SecondFactorDialog } from '#domain/second-factor/second-factor-dialog.tsx';
import { logOut } from './log-out.ts';

/** A user who must have a second factor and has none sets it up first. The dialog stays open until the recovery codes were confirmed. */
export function EnrolFirst() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data } = useMe();
  const mustEnrol = data?.mustEnrol === true && !data.mustChangePassword;
  const [isOpen, setOpen] = useState(false);
  if (mustEnrol && !isOpen) setOpen(true);
  if (!isOpen) return null;
  const leave = () => void logOut(queries).then(() => navigate(to.login()));
  return <SecondFactorDialog onClose={() => setOpen(false)} onLogOut={leave} />;
}
