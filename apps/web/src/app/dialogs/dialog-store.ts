import { create } from 'zustand';

type Dialog = 'profile' | 'password' | 'help';

/** The parts of the help: of the open page, the words, the shortcuts. */
export type HelpPart = 'page' | 'glossary' | 'keys';

/** The dialog of the shell that is open, and the part that the help begins with. */
export const useDialog = create<{ open: Dialog | undefined; part: HelpPart }>()(() => ({ open: undefined, part: 'page' }));
export const openDialog = (dialog: Dialog) => useDialog.setState({ open: dialog });
export const openHelp = (part: HelpPart) => useDialog.setState({ open: 'help', part });
export const closeDialog = () => useDialog.setState({ open: undefined });

/** The action to run after the user agreed to lose unsaved input. */
export const useLeaving = create<{ leave: (() => void) | undefined }>()(() => ({ leave: undefined }));
