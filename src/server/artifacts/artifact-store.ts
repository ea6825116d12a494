import type {Seal} from '../accounts/seal.ts';
import type {Log} from '../kit/log.ts';
import type {ArtifactLocation} from './artifact-location.ts';
import type {Blobs, LinkOptions} from './blobs.ts';
import {createDiskBlobs} from './disk-blobs.ts';
import {createLinks, type Links} from './links.ts';
import {createS3Blobs} from './s3-blobs.ts';

/** Artifacts, and links to them that need no credential. */
export type ArtifactStore = {
	readonly blobs: Blobs;
	readonly links: Links;
	/** Returns a URL that shows or downloads an artifact until it expires. */
	readonly presign: (name: string, link: LinkOptions) => Promise<string>;
};

type Options = {
	readonly seal: Seal;
	readonly now: () => Date;
	readonly publicUrl: () => string;
	readonly log: Log;
};

/** Opens the store. It isn't accessed before the first artifact. */
export function openArtifacts(location: ArtifactLocation, {seal, now, publicUrl, log}: Options): ArtifactStore {
	const blobs = location.kind === 's3' ? createS3Blobs(location, {now, log}) : createDiskBlobs(location.folder);
	const links = createLinks(seal);
	return {
		blobs,
		links,
		presign: async (name, link) =>
			blobs.presign ? await blobs.presign(name, link) : `${publicUrl()}${await links.sign(name, link)}`,
	};
}
