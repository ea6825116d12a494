/** Appends a path to a base URL. Keeps the queries of both, such as Azure's `?api-version=`. */
export function endpointUrl(baseUrl: string, path: string): string {
	const [base = '', baseQuery] = splitQuery(baseUrl);
	const [end = '', query] = splitQuery(path);
	const queries = [baseQuery, query].filter(Boolean).join('&');
	return base.replace(/\/+$/, '') + end + (queries && `?${queries}`);
}

function splitQuery(url: string): readonly [string, string] {
	const at = url.indexOf('?');
	return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
