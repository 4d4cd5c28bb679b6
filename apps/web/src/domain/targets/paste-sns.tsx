import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { Alert, Button, Input, Modal } from 'antd';
import { ClipboardPaste } from 'lucide-react';
import { useState } from 'react';
import { failureText } from '#core/api/errors.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './messages.ts';
import { nodesOfSns, splitSns } from './resolve-targets.ts';

interface PasteSnsProps {
  onAdd: (nodes: TreeNode[]) => void;
  /** Label of the button; by default it adds targets. */
  add?: string;
}

/** Turns a pasted list of serial numbers into targets and names the unknown ones. */
export function PasteSns({ onAdd, add: addText }: PasteSnsProps) {
  const t = useMessages(texts);
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);

  const add = async () => {
    setBusy(true);
    try {
      const { nodes, unknown } = await nodesOfSns(splitSns(text));
      if (nodes.length > 0) onAdd(nodes);
      setText(unknown.join('\n'));
      setProblem(unknown.length > 0 ? t('notFound', { sns: unknown.slice(0, 10).join(', ') }) : undefined);
      if (unknown.length === 0) setOpen(false);
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <Button
        size="small"
        icon={<ClipboardPaste size={13} aria-hidden="true" />}
        aria-label={t('pasteSns')}
        title={t('pasteSns')}
        onClick={() => setOpen(true)}
      />
      <Modal
        open={open}
        title={t('pasteSns')}
        okText={addText ?? t('addMeters')}
        okButtonProps={{ disabled: splitSns(text).length === 0 }}
        cancelText={t('cancel')}
        confirmLoading={busy}
        onOk={() => void add()}
        onCancel={() => setOpen(false)}
      >
        <p>{t('pasteHint')}</p>
        <Input.TextArea
          rows={8}
          className="mono"
          aria-label={t('pasteSns')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {problem ? <Alert type="warning" showIcon title={problem} role="alert" /> : null}
      </Modal>
    </>
  );
}
