export {
  adoptProfile,
  adoptSupplier,
  findProfileObjects,
  findProfiles,
  findSupplierChoices,
  insertProfile,
  listProfiles,
  objectsOf,
  profileAsFile,
  requireChoices,
} from './profiles.ts';
