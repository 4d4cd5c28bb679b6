import { ListScreen } from '#kit/list/list-screen.tsx';
import { senderList } from './list.tsx';

/** What leaves the head-end by itself, and how far it is. */
export default function Deliveries() {
  return <ListScreen list={senderList} />;
}
