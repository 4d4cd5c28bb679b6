import { z } from 'zod';
import { fileAnswer, fileBody } from '../core/file.ts';
import { idParams } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** A photo of a display and its terminals is readable far below this size. */
export const MAX_PHOTO_OCTETS = 2 * 1024 * 1024;

const page = PAGE_PATH.meterAssets;

/** Photos of replacements and installations, by their id. */
export const exchange = {
  addPhoto: route({
    method: 'POST',
    path: '/asset/exchange/{id}/photo',
    summary: 'Keep a photo (JPEG, PNG or WebP) with a replacement or installation of a meter; it cannot be changed afterwards',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: fileBody,
    bodyType: 'file',
    maxOctets: MAX_PHOTO_OCTETS,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'NO_PHOTO', 'PHOTO_EXISTS', 'FILE_TOO_LARGE'],
  }),
  photo: route({
    method: 'GET',
    path: '/asset/exchange/{id}/photo',
    summary: 'The photo of a replacement or installation of a meter',
    allow: { page, action: 'view' },
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
};
