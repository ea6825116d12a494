import {readFileSync} from 'node:fs';
import {replaceOnce} from './replace-once.mjs';

/** All that undici uses of Node's `assert`, which loads a dozen modules for its messages. */
const assertModule = `module.exports = (value, message) => {
	if (!value) {
		throw message instanceof Error ? message : new Error(message ?? 'undici is in a state that it excludes.');
	}
};`;

/**
 * Returns the esbuild plugin that keeps undici from loading Node's `http`, `http2` and `assert` with the first request, which
 * takes longer than all of undici. Of the first it reads the default for the size of headers, and knows its messages, which
 * we don't send; the second speaks HTTP/2, which we offer to no server.
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
			plugin.onLoad({filter: /undici\/lib\/core\/util\.js$/}, ({path}) => {
				patched.add(path);
				return {contents: replaceOnce(readFileSync(path, 'utf8'), /require\('node:http'\)/, '{}', path), loader: 'js'};
			});
			plugin.onResolve({filter: /^node:assert$/}, ({path, importer}) =>
				/[\\/]undici[\\/]lib[\\/]/.test(importer) ? {path, namespace: 'undici-assert'} : undefined,
			);
			plugin.onLoad({filter: /.*/, namespace: 'undici-assert'}, () => ({contents: assertModule, loader: 'js'}));
			plugin.onLoad({filter: /undici\/lib\/dispatcher\/client-h2\.js$/}, ({path}) => {
				patched.add(path);
				return {contents: "module.exports = () => { throw new Error('HTTP/2 was not offered.'); };", loader: 'js'};
			});
			plugin.onEnd(({errors}) => {
				if (errors.length === 0 && patched.size !== 3) {
					throw new Error('undici was bundled without its patch: its files have other names now.');
				}
			});
		},
	};
}
