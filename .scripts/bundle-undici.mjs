import {readFileSync} from 'node:fs';
import {replaceOnce} from './replace-once.mjs';

/**
 * Returns the esbuild plugin that keeps undici from loading Node's `http` and `http2` with the first request: of the first it
 * reads the default for the size of headers, and the second speaks HTTP/2, which we offer to no server.
 */
export function undiciWithoutHttp() {
	return {
		name: 'undici-without-http',
		setup(plugin) {
			const patched = new Set();
			plugin.onLoad({filter: /undici\/lib\/dispatcher\/client\.js$/}, ({path}) => {
				patched.add(path);
				const source = readFileSync(path, 'utf8');
				return {contents: replaceOnce(source, /require\('node:http'\)/, '{maxHeaderSize: 16384}', path), loader: 'js'};
			});
			plugin.onLoad({filter: /undici\/lib\/dispatcher\/client-h2\.js$/}, ({path}) => {
				patched.add(path);
				return {contents: "module.exports = () => { throw new Error('HTTP/2 was not offered.'); };", loader: 'js'};
			});
			plugin.onEnd(({errors}) => {
				if (errors.length === 0 && patched.size !== 2) {
					throw new Error('undici was bundled without its patch: its files have other names now.');
				}
			});
		},
	};
}
