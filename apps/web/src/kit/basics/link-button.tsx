import { Button, type ButtonProps } from 'antd';
import { useHref, useLinkClickHandler, type To } from 'react-router';

type Props = Omit<ButtonProps, 'href' | 'htmlType' | 'onClick'> & { to: To };

/** A link with the look of a button: one tab stop, which opens in a new tab like any link. */
export function LinkButton({ to, ...look }: Props) {
  const href = useHref(to);
  const onClick = useLinkClickHandler<HTMLElement>(to);
  return <Button {...look} href={href} onClick={onClick} />;
}
