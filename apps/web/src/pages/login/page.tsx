import { useNavigate, useSearchParams } from 'react-router';
import { SignIn } from './sign-in.tsx';

/** The sign-in page within a loaded console. */
export default function LoginPage() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  return <SignIn redirect={search.get('redirect')} onSignedIn={(path) => navigate(path, { replace: true })} />;
}
