import type { Progress } from '@hes/contract/asset/connecting.ts';
import type { PAGE_WORDS, WordsOf } from '@hes/contract/page/links.ts';
import type { ConnectedKind } from '@hes/contract/states/connecting.ts';

type Words = WordsOf<typeof PAGE_WORDS.connect>;

export interface StepProps {
  kind: ConnectedKind;
  url: Words;
  setUrl: (change: Words) => void;
  onChanged: () => void;
}

/** Props of a step that needs the registered device. */
export interface DeviceStepProps extends StepProps {
  progress: Progress;
}
