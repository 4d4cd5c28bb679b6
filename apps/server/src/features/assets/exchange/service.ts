import type { FileAnswer } from '@hes/contract/core/file.ts';
import type { Context, User, Who } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { audit } from '#features/assets/meter/administer.ts';
import { extensionOf, photoTypeOf } from './photo-type.ts';
import { findExchange, findPhoto, insertPhoto } from './queries.ts';

/** Keeps a photo with a replacement or installation in the user's area. It is evidence, so it is stored once. */
export async function addPhoto(ctx: Context, who: Who, exchangeId: string, file: Uint8Array): Promise<void> {
  const type = photoTypeOf(file)?.type;
  if (type === undefined) throw new ApiError('NO_PHOTO');
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const exchange = await findExchange(tx, who.user, exchangeId);
    if (exchange === undefined) throw new ApiError('NOT_FOUND');
    const photo = { exchangeId, mediaType: type, octets: Buffer.from(file), takenBy: who.user.id, createdAt: new Date(now) };
    if (!(await insertPhoto(tx, photo))) throw new ApiError('PHOTO_EXISTS');
    await audit(
      tx,
      who,
      { action: 'exchange_photo_added', entityId: exchange.meterId, detail: { sn: exchange.sn, size: file.length } },
      now,
    );
  });
}

export async function getPhoto(ctx: Context, user: User, exchangeId: string): Promise<FileAnswer> {
  const exchange = await findExchange(ctx.db, user, exchangeId);
  const photo = exchange && (await findPhoto(ctx.db, exchangeId));
  if (exchange === undefined || photo === undefined) throw new ApiError('NOT_FOUND');
  return { name: `${exchange.sn}-${exchangeId}.${extensionOf(photo.mediaType)}`, type: photo.mediaType, content: photo.octets };
}
