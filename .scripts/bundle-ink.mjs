import {readFileSync} from 'node:fs';
import {replaceOnce} from './replace-once.mjs';

/** The clock of Ink and React: Node loads its own `performance` when something names it, with all that it can observe. */
const clock = `const performance = {
	now() {
		const [seconds, nanoseconds] = process.hrtime();
		return seconds * 1000 + nanoseconds / 1e6;
	},
};
`;
const timed = /(?:ink\/build\/ink|scheduler\/cjs\/scheduler\.production)\.js$/;

/**
 * Returns the esbuild plugin that takes the development tools out of Ink: they load asynchronously, which scripts can't wait
 * for. Ink and React get a clock that is there without loading anything.
 */
export function inkForProduction() {
	return {
		name: 'ink-for-production',
		setup(plugin) {
			const patched = new Set();
			plugin.onLoad({filter: /ink\/build\/reconciler\.js$/}, ({path}) => {
				patched.add(path);
				const source = readFileSync(path, 'utf8');
				const withoutTools = replaceOnce(source, /await import\('\.\/devtools\.js'\)/, 'undefined', path);
				return {contents: replaceOnce(withoutTools, /await loadPackageJson\(\)/, '{}', path), loader: 'js'};
			});
			plugin.onLoad({filter: timed}, ({path}) => {
				patched.add(path);
				return {contents: clock + readFileSync(path, 'utf8'), loader: 'js'};
			});
			plugin.onEnd(({errors}) => {
				if (errors.length === 0 && patched.size !== 3) {
					throw new Error('Ink was bundled without its patch: its files have other names now.');
				}
			});
		},
	};
}
