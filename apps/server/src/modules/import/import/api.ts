export { choiceCell, numberCell, optionalCell, textCell, yesNoCell } from './cells.ts';
export { defineImport, type ImportEnvironment, type Judgement, type LineIssue } from './define-import.ts';
export { positionColumns } from './position.ts';
export { importRoutes } from './routes.ts';
