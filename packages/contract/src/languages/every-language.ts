import { addCatalogue } from '../core/text.ts';
import es from './es.json' with { type: 'json' };

/** Makes all languages available in a process that answers readers of any of them. */
export const addEveryCatalogue = (): void => addCatalogue('es', es);
