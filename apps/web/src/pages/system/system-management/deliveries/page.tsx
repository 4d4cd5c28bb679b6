import { ListScreen } from '#kit/list/list-screen.tsx';
import { senderList } from './list.tsx';

/** Senders and what their receivers have not received yet. */
export default function Deliveries() {
  return <ListScreen list={senderList} />;
}
