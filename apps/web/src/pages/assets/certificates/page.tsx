import { ListScreen } from '#kit/list/list-screen.tsx';
import { ImportCertificates } from './import-certificates.tsx';
import { certificateList } from './list.tsx';

export default function Certificates() {
  return <ListScreen list={certificateList} head={({ reload }) => <ImportCertificates onImported={reload} />} />;
}
