import { create } from 'zustand';

type Dialog = 'profile' | 'password' | 'keys';

/** The dialog of the shell that is open. */
export const useDialog = create<{ open: Dialog | undefined }>()(() => ({ open: undefined }));
export const openDialog = (dialog: Dialog) => useDialog.setState({ open: dialog });
export const closeDialog = () => useDialog.setState({ open: undefined });

/** The action to run after the user agreed to lose unsaved input. */
export const useLeaving = create<{ leave: (() => void) | undefined }>()(() => ({ leave: undefined }));
