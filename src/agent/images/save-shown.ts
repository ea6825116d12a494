import type {ImageType, ShownImage} from '../../core/session/event.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import type {ImageStore} from './model-images.ts';

/** Keeps what the model is shown; `isSeen` says which types it reads. */
export type ShownStore = {readonly save: ImageStore['save']; readonly isSeen: (type: ImageType) => boolean};

/** Wire formats carry PDFs in messages of the user only. */
export function withoutPdf(images: ShownStore): ShownStore {
	return {...images, isSeen: type => type !== 'application/pdf' && images.isSeen(type)};
}

/** Returns what saves the images of one call or attachment. */
export function imagesTo(shown: ShownImage[], {save, isSeen}: ShownStore): NonNullable<ToolContext['onImage']> {
	return async ({type, width, height, bytes, pages}) => {
		if (!isSeen(type)) {
			return false;
		}

		shown.push({
			hash: await save(bytes),
			type,
			width,
			height,
			bytes: bytes.length,
			...(pages !== undefined && {pages}),
		});
		return true;
	};
}
