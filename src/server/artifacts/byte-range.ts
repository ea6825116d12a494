import type {Range} from './blobs.ts';

/**
 * The part of `size` bytes that a `Range` header asks for (RFC 9110, section 14.1.2). Undefined for none, for several, for
 * what is no range, and for one that lies outside: section 14.2 lets a server ignore the header and send everything.
 */
export function rangeOf(header: string | null, size: number): Range | undefined {
	const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
	if (first === '' && last === '') {
		return undefined;
	}

	const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
	const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
	return start <= end ? {start, end} : undefined;
}
