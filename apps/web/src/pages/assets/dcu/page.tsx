import { dcu } from '@hes/contract/asset/dcu.ts';
import { App } from 'antd';
import { useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import type { Caller } from './dcu-form.tsx';
import { RegisterForm } from './detail-forms.tsx';
import { dcuList } from './list.tsx';
import { texts } from './texts.ts';
import { UnregisteredButton } from './unregistered.tsx';

export default function DcuPage() {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const list = useList(dcuList);
  const [caller, register] = useState<Caller>();
  const close = () => register(undefined);
  const registered = () => {
    close();
    void message.success(t('registered'));
    list.changed();
  };
  return (
    <>
      <ListView list={list} head={() => <UnregisteredButton onRegister={list.tools.may(dcu.create) ? register : undefined} />} />
      {caller ? <RegisterForm row={undefined} caller={caller} onDone={registered} onClose={close} /> : null}
    </>
  );
}
