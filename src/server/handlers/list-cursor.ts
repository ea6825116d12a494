import {createHmac, timingSafeEqual} from 'node:crypto';
import {type Json, parseJson} from '../../core/json.ts';
import type {Seal} from '../accounts/seal.ts';
import {reject} from '../kit/http-error.ts';

/** What a list is sorted by, of one row. */
export type SortKey = string | number | null;

/** A place between two rows of a sorted list. */
export type ListPlace = {
	/** What the row next to it is sorted by. */
	readonly keys: readonly SortKey[];
	/** Whether the rows before it are asked for. */
	readonly isBackward: boolean;
	/** The number of the page that is asked for, as it was when the cursor was given. */
	readonly page: number;
};

/** The list that a cursor belongs to: its request, and the key that its cursors are signed with. */
export type CursorContext = {readonly services: {readonly seal: Seal}; readonly request: Request};

const macBytes = 16;

/** Parameters that ask for a part of a list, not for another list. */
const partOfList = ['cursor', 'page', 'page_size'];

/** Returns the cursor of a place. Only the same list takes it: the same path, filters and order. */
export function writeCursor(context: CursorContext, {keys, isBackward, page}: ListPlace): string {
	const text = Buffer.from(JSON.stringify([page, isBackward, ...keys]));
	return Buffer.concat([macOf(context, text), text]).toString('base64url');
}

/** Returns the place of a cursor. Rejects (400) one that this list hasn't given, on any server with the same seal key. */
export function readCursor(context: CursorContext, cursor: string): ListPlace {
	const bytes = Buffer.from(cursor, 'base64url');
	const mac = bytes.subarray(0, macBytes);
	const text = bytes.subarray(macBytes);
	const isOurs = mac.length === macBytes && timingSafeEqual(mac, macOf(context, text));
	const value: Json | undefined = isOurs ? parseJson(text.toString()) : undefined;
	const [page, isBackward, ...keys] = Array.isArray(value) ? value : [];
	return typeof page === 'number' && typeof isBackward === 'boolean'
		? {page, isBackward, keys: keys as SortKey[]}
		: rejectCursor();
}

/** Rejects (400) a cursor. */
export function rejectCursor(): never {
	return reject(400, 'The cursor isn’t one of this list. Read the list from its first page again.');
}

function macOf({services: {seal}, request}: CursorContext, text: Uint8Array): Buffer {
	const {pathname, searchParams} = new URL(request.url);
	const filters = [...searchParams].filter(([name]) => !partOfList.includes(name)).toSorted();
	return createHmac('sha256', seal.derive('list cursor'))
		.update(JSON.stringify([pathname, filters]))
		.update(text)
		.digest()
		.subarray(0, macBytes);
}
