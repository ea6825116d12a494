import {pathToFileURL} from 'node:url';
import {TestRunner} from 'vitest';
import {testModulePath} from '../.scripts/compile-modules.mjs';

/** Imports test files as `test/compile.ts` compiled them, with Node alone. */
export default class CompiledRunner extends TestRunner {
	override importFile(path: string, source: 'collect' | 'setup'): unknown {
		const {href} = pathToFileURL(testModulePath(path));
		// The hooks of a setup file hold for one test file: a query makes Node evaluate it for each.
		return import(source === 'setup' ? `${href}?${performance.now()}` : href);
	}
}

// Its hook would map every error that is read; Vitest maps those of failed tests afterwards.
Reflect.deleteProperty(Error, 'prepareStackTrace');
