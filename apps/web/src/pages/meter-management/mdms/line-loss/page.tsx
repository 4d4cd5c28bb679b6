import { ListScreen } from '#kit/list/list-screen.tsx';
import { lossList } from './list.tsx';

export default function LineLossPage() {
  return <ListScreen list={lossList} />;
}
