/**
 * Returns what a remote of git names, whichever way it is reached: its host in lower case and its path, without credentials, port and
 * `.git`. Two clones with one in common are of the same repository. Returns undefined for a relative path, which names nothing elsewhere.
 */
export function normalizeRemote(address: string): string | undefined {
	const text = address.trim();
	const url = /^(?:git\+)?([a-z][a-z\d+.-]*):\/\/(?:[^/@]*@)?([^/:@]*|\[[^\]/]*\])(?::\d+)?\/(.*)$/is.exec(text);
	if (url) {
		const [, scheme = '', host = '', path = ''] = url;
		return scheme.toLowerCase() === 'file' ? named('file:', path) : named(host.toLowerCase(), path);
	}

	if (text.startsWith('/')) {
		return named('file:', text);
	}

	// The short form of ssh; one letter before a colon is a disk of Windows.
	const [, host = '', path = ''] = /^(?:[^/@:]*@)?([^/@:]{2,}|\[[^\]/]*\]):(?!\/\/)(.+)$/s.exec(text) ?? [];
	return host === '' ? undefined : named(host.toLowerCase(), path);
}

function named(host: string, path: string): string | undefined {
	const plain = path.replace(/^\/+|\/+$/g, '').replace(/(?<=[^/])\.git$/i, '');
	return plain === '' || host === '' ? undefined : `${host}/${plain}`;
}
