import {unseenCharacters} from '../../core/json.ts';
import {objectName} from '../artifacts/object-name.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';

/** How long a URL is valid. */
const lifetimeMs = 15 * 60 * 1000;

export const artifactHandlers = {
	/** The same 404 for everything that can't be resolved, so that it reveals neither stored bytes nor other traces. */
	async resolveTraceArtifact({params: {traceId, oid}, query: {download}}, {scope: {workspace}, services}) {
		const {database, artifacts, now} = services;
		const artifact = await database
			.selectFrom('artifacts')
			.select(['filename', 'mime_type'])
			.where('workspace_id', '=', workspace.id)
			.where('trace_id', '=', traceId.toLowerCase())
			.where('oid', '=', oid)
			.executeTakeFirst();
		const name = objectName(workspace.id, oid);
		const size = artifact && (await artifacts.blobs.size(name));
		if (!artifact || size === undefined) {
			rejectNotFound();
		}

		// URLs have times in whole seconds.
		const expiresAt = new Date(Math.floor((now().getTime() + lifetimeMs) / 1000) * 1000);
		const mimeType = mimeTypeOf(artifact.mime_type);
		const filename = fileNameOf(artifact.filename);
		return {
			expires_at: expiresAt.toISOString(),
			filename,
			mime_type: mimeType,
			oid,
			size_bytes: size,
			url: await artifacts.presign(name, {...presentationOf({mimeType, filename, download}), expiresAt}),
		};
	},
} satisfies Partial<Handlers>;

/** Types that browsers show without running anything. PDFs don't open in a sandbox, so they are downloaded. */
const inlineTypes: ReadonlySet<string> = new Set([
	'application/json',
	'audio/mpeg',
	'audio/ogg',
	'audio/wav',
	'image/avif',
	'image/gif',
	'image/jpeg',
	'image/png',
	'image/webp',
	'text/plain',
	'video/mp4',
	'video/webm',
]);

/** In characters; file systems allow 255 bytes. */
const maxNameLength = 60;

const unknownType = 'application/octet-stream';

/** Returns a media type without its parameters; `application/octet-stream` if it is missing or invalid (RFC 6838). */
export function mimeTypeOf(name: string | null | undefined): string {
	const type = name?.split(';')[0]?.trim().toLowerCase() ?? '';
	return /^[a-z\d][\w!#$&^.+-]{0,126}\/[a-z\d][\w!#$&^.+-]{0,126}$/.test(type) ? type : unknownType;
}

const unseen = new RegExp(`[${unseenCharacters}]`, 'gu');

/** Returns a file name that is safe on every system, without folders, controls and invisible characters. */
export function fileNameOf(name: string | null): string {
	const last = (name ?? '').split(/[/\\]/).at(-1) ?? '';
	const clean = last
		.replace(unseen, '')
		.replace(/[<>:"|?*]/g, '_')
		.replace(/^[\s.]+|[\s.]+$/gu, '');
	return shorten(clean) || 'artifact';
}

/** Shortens a name and keeps its extension. */
function shorten(name: string): string {
	const characters = [...name];
	const extension = /\.[a-z\d]{1,10}$/i.exec(name)?.[0] ?? '';
	return characters.length <= maxNameLength
		? name
		: `${characters.slice(0, maxNameLength - extension.length).join('')}${extension}`;
}

type Named = {readonly mimeType: string; readonly filename: string; readonly download: boolean};

/** Returns the headers with which a browser shows a harmless file, or downloads it under its name. */
export function presentationOf({mimeType, filename, download}: Named) {
	const isText = mimeType === 'text/plain' || mimeType === 'application/json';
	const disposition = inlineTypes.has(mimeType) && !download ? 'inline' : 'attachment';
	return {
		contentType: isText ? `${mimeType}; charset=utf-8` : mimeType,
		contentDisposition: `${disposition}; ${fileNameParameters(filename)}`,
	};
}

/**
 * Returns the file name parameters of RFC 6266, section 4.3: in ASCII for old clients, and in UTF-8 (RFC 8187) if they
 * differ.
 */
function fileNameParameters(filename: string): string {
	const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
	const encoded = encodeURIComponent(filename).replace(
		/['()*]/g,
		character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
	return ascii === filename ? `filename="${ascii}"` : `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
