/** Names and values by turns, as Node has them. */
export type RawHeaders = readonly string[];

export type Header = readonly [name: string, value: string];

export function headersOf(raw: RawHeaders): readonly Header[] {
	return Array.from({length: raw.length / 2}, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''] as const);
}

/** Headers of one connection (RFC 9110, section 7.6.1), and of the framing of a message, which each connection has its own of. */
const hopByHop: readonly string[] = (
	'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer ' +
	'transfer-encoding upgrade expect http2-settings content-length'
).split(' ');

/** Returns the headers that a message keeps on the next connection. */
export function endToEnd(headers: readonly Header[]): readonly Header[] {
	const named = headers
		.filter(([name]) => name.toLowerCase() === 'connection')
		.flatMap(([, value]) => value.split(','))
		.map(name => name.trim().toLowerCase());
	return headers.filter(([name]) => ![...hopByHop, ...named].includes(name.toLowerCase()));
}
