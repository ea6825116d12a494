import {readFileSync} from 'node:fs';
import {replaceOnce} from './bundle-yoga.mjs';

/** Returns the esbuild plugin that takes the development tools out of Ink: they load asynchronously, which scripts can't wait for. */
export function inkForProduction() {
	return {
		name: 'ink-for-production',
		setup(plugin) {
			let isPatched = false;
			plugin.onLoad({filter: /ink\/build\/reconciler\.js$/}, ({path}) => {
				isPatched = true;
				const source = readFileSync(path, 'utf8');
				const withoutTools = replaceOnce(source, /await import\('\.\/devtools\.js'\)/, 'undefined', path);
				return {contents: replaceOnce(withoutTools, /await loadPackageJson\(\)/, '{}', path), loader: 'js'};
			});
			plugin.onEnd(({errors}) => {
				if (errors.length === 0 && !isPatched) {
					throw new Error('Ink was bundled without its patch: its files have other names now.');
				}
			});
		},
	};
}
