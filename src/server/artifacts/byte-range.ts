import type {Range} from './blobs.ts';

/**
 * Parses a `Range` header for `size` bytes (RFC 9110, section 14.1.2). Returns undefined for a missing, multiple,
 * invalid or unsatisfiable range: servers may ignore the header and send everything (section 14.2).
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
