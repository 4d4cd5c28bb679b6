import { dcuLog } from '@hes/contract/debug/dcu-log.ts';
import type { DecodedNode } from '@hes/contract/trace/trace.ts';
import { Drawer } from 'antd';
import { useState } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { PanelState } from '#shared/ui/states.tsx';
import { CopyButton } from '#shared/ui/text.tsx';
import { FieldTree } from '#widgets/frames/field-tree.tsx';
import { Frames } from '#widgets/frames/frames.tsx';
import { HexView, type Range } from '#widgets/frames/hex-view.tsx';
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

function Kept({ id }: { id: string }) {
  const t = useMessages(texts);
  const query = useApiQuery(dcuLog.get, { params: { id }, staleMs: Infinity });
  return (
    <PanelState query={query} lines={8}>
      {(frame) => (
        <div className={styles['decoded']}>
          {frame.error ? <p className={styles['failed']}>{frame.error}</p> : null}
          <Part title={t('onWire')} hex={frame.hex} nodes={frame.wire} />
          {frame.plainHex === null ? null : <Part title={t('deciphered')} hex={frame.plainHex} nodes={frame.plain ?? []} />}
        </div>
      )}
    </PanelState>
  );
}

/** A kept frame as a tree, or the whole exchange a live one belongs to. */
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
