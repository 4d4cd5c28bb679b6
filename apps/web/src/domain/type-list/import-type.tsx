import type { Route } from '@hes/contract/core/route.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { App, Button } from 'antd';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import type { ApiFailure } from '#core/api/errors.ts';
import { useMay } from '#core/api/may.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { typeTexts } from './messages.ts';
import { chooseJson } from './type-file.ts';

type Imported = { ok: true; data: { name: string } } | { ok: false; error: ApiFailure };

interface ImportTypeProps {
  right: Pick<Route, 'allow'>;
  /** Sends the content of the file; undefined when it is not a type file. */
  send: (json: unknown) => Promise<Imported> | undefined;
  /** Message after success, with `{name}`. */
  done: Text;
  onImported: () => void;
}

/** Imports a type from a file that the user chooses. */
export function ImportType({ right, send, done, onImported }: ImportTypeProps) {
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  const importFile = async () => {
    const sent = send(await chooseJson());
    if (sent === undefined) return void message.error(say(typeTexts.notAFile));
    setBusy(true);
    const answer = await sent;
    setBusy(false);
    if (!answer.ok) return void message.error(answer.error.message, 0);
    void message.success(say(done, { name: answer.data.name }));
    return onImported();
  };
  if (!may(right)) return null;
  return (
    <Button icon={<FileUp size={15} aria-hidden="true" />} loading={isBusy} onClick={() => void importFile()}>
      {say(typeTexts.importFile)}
    </Button>
  );
}
