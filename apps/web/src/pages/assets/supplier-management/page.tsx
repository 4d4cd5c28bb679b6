import { ListScreen } from '#kit/list/list-screen.tsx';
import { supplierList } from './list.tsx';

export default function SupplierManagement() {
  return <ListScreen list={supplierList} />;
}
