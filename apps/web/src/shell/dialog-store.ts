import { create } from 'zustand';

type Dialog = 'profile' | 'password' | 'keys';

/** Which dialog of the shell is open. */
export const useDialog = create<{ open: Dialog | undefined }>()(() => ({ open: undefined }));
export const openDialog = (dialog: Dialog) => useDialog.setState({ open: dialog });
export const closeDialog = () => useDialog.setState({ open: undefined });

/** What is done once somebody has agreed that it loses what he typed. */
export const useLeaving = create<{ leave: (() => void) | undefined }>()(() => ({ leave: undefined }));
