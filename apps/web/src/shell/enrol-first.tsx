import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useMe } from '#shared/api/may.ts';
import { SecondFactorDialog } from '#widgets/second-factor/second-factor-dialog.tsx';
import { logOut } from './log-out.ts';

/** Who must have a second factor and has none sets it up before anything; it stays open until the recovery codes were read. */
export function EnrolFirst() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data } = useMe();
  const mustEnrol = data?.mustEnrol === true && !data.mustChangePassword;
  const [isOpen, setOpen] = useState(false);
  if (mustEnrol && !isOpen) setOpen(true);
  if (!isOpen) return null;
  const leave = () => void logOut(queries).then(() => navigate('/login'));
  return <SecondFactorDialog onClose={() => setOpen(false)} onLogOut={leave} />;
}
