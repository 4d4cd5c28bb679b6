import { dcuLog, frameNote, MAX_FRAME_NOTE_LENGTH } from '@hes/contract/debug/dcu-log.ts';
import type { DecodedNode } from '@hes/contract/trace/trace.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, Drawer, Input } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { InlineForm } from '#kit/form/form-body.tsx';
import { useRecordForm } from '#kit/form/use-form.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { CopyButton } from '#kit/basics/text.tsx';
import { FieldTree } from '#domain/frames/field-tree.tsx';
import { Frames } from '#domain/frames/frames.tsx';
import { HexView, type Range } from '#domain/frames/hex-view.tsx';
import { texts } from './messages.ts';
import styles from './dcu-log.module.css';

const SIZE = 780;

function Part({ title, hex, nodes }: { title: string; hex: string; nodes: DecodedNode[] }) {
  const [range, setRange] = useState<Range | undefined>();
  return (
    <section>
      <h4>
        {title} <CopyButton text={hex} />
      </h4>
      <HexView hex={hex} range={range} label={title} />
      <FieldTree nodes={nodes} onMark={setRange} />
    </section>
  );
}

const noteOf = ({ note }: { note: string | null }) => ({ note: note ?? '' });

/** The note on a frame; it is deleted with the frame. */
function Note({ id, frame }: { id: string; frame: { note: string | null } }) {
  const t = useMessages(texts);
  const may = useMay();
  const client = useQueryClient();
  const { message } = App.useApp();
  const { form, record, take } = useRecordForm(frame, noteOf);
  const save = useApiMutation(dcuLog.note, {
    success: () => {
      void message.success(t('noteSaved'));
      take({ note: form.values.note.trim() || null });
      for (const { path } of [dcuLog.get, dcuLog.list]) void client.invalidateQueries({ queryKey: [path] });
    },
    failure: form.refuse,
  });
  if (!may(dcuLog.note)) return frame.note === null ? null : <p className={styles['note']}>{frame.note}</p>;
  return (
    <InlineForm
      record={`frame-note/${id}`}
      title={t('note')}
      form={form}
      labels={{ note: t('note') }}
      saving={save.isPending}
      className={styles['note']}
      onSave={() => {
        const before = form.conflict === undefined ? record.note : form.conflict.theirs.note || null;
        const body = form.check(frameNote, { before });
        if (body) save.mutate({ params: { id }, body });
      }}
    >
      <Input
        maxLength={MAX_FRAME_NOTE_LENGTH}
        aria-label={t('note')}
        placeholder={t('note')}
        value={form.values.note}
        onChange={({ target }) => form.set({ note: target.value })}
      />
      <Button htmlType="submit" loading={save.isPending} disabled={!form.isChanged}>
        {t('saveNote')}
      </Button>
    </InlineForm>
  );
}

function Kept({ id }: { id: string }) {
  const t = useMessages(texts);
  const query = useApiQuery(dcuLog.get, { params: { id }, staleMs: Infinity });
  return (
    <PanelState query={query} lines={8}>
      {(frame) => (
        <div className={styles['decoded']}>
          <Note key={id} id={id} frame={frame} />
          {frame.error ? <p className={styles['failed']}>{frame.error}</p> : null}
          <Part title={t('onWire')} hex={frame.hex} nodes={frame.wire} />
          {frame.plainHex === null ? null : <Part title={t('deciphered')} hex={frame.plainHex} nodes={frame.plain ?? []} />}
        </div>
      )}
    </PanelState>
  );
}

/** A stored frame as a tree, or the exchange of a live one. */
export function FrameDrawer({ frame, trace, onClose }: { frame: string | undefined; trace: string | undefined; onClose: () => void }) {
  const t = useMessages(texts);
  return (
    <Drawer
      open={frame !== undefined || trace !== undefined}
      size={SIZE}
      title={t(frame ? 'frame' : 'exchange')}
      onClose={onClose}
      destroyOnHidden
    >
      {frame ? <Kept id={frame} /> : trace ? <Frames traceId={trace} /> : null}
    </Drawer>
  );
}
