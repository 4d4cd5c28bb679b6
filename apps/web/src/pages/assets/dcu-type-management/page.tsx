import { dcuType, dcuTypeFile } from '@hes/contract/asset/dcu-type.ts';
import { call } from '#core/api/client.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { ImportType } from '#domain/type-list/import-type.tsx';
import { dcuTypeList } from './list.tsx';
import { texts } from './messages.ts';

function send(json: unknown) {
  const file = dcuTypeFile.safeParse(json);
  return file.success ? call(dcuType.importFile, { body: file.data }) : undefined;
}

export default function DcuTypeManagement() {
  return (
    <ListScreen
      list={dcuTypeList}
      head={({ reload }) => <ImportType right={dcuType.importFile} send={send} done={texts.imported} onImported={reload} />}
    />
  );
}
