import process from 'node:process';
import type {TestProject} from 'vitest/node';
import {compileModules} from '../.scripts/compile-modules.mjs';

/** Compiles program and tests before the tests run, and before they run again. */
export default async function setup(project: TestProject): Promise<void> {
	// esbuild, here and in tests, lives for a second or two, and Go's collector would use a third of that.
	process.env['GOGC'] ??= '400';
	await compileModules();
	project.onTestsRerun(compileModules);
}
