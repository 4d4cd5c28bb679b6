import { useNavigate, useSearchParams } from 'react-router';
import { SignIn } from './sign-in.tsx';

/** Signing in again, within a console that is there. */
export default function LoginPage() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  return <SignIn redirect={search.get('redirect')} onSignedIn={(path) => navigate(path, { replace: true })} />;
}
