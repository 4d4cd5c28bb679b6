import { ListScreen } from '#kit/list/list-screen.tsx';
import { providerList } from './list.tsx';

/** Identity providers, and the roles that their groups give. */
export default function IdentityProviders() {
  return <ListScreen list={providerList} />;
}
