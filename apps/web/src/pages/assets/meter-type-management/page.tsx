import { meterType, meterTypeFile } from '@hes/contract/asset/meter-type.ts';
import { call } from '#core/api/client.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { ImportType } from '#domain/type-list/import-type.tsx';
import { meterTypeList } from './list.tsx';
import { texts } from './messages.ts';

function send(json: unknown) {
  const file = meterTypeFile.safeParse(json);
  return file.success ? call(meterType.importFile, { body: file.data }) : undefined;
}

export default function MeterTypeManagement() {
  return (
    <ListScreen
      list={meterTypeList}
      head={({ reload }) => <ImportType right={meterType.importFile} send={send} done={texts.imported} onImported={reload} />}
    />
  );
}
