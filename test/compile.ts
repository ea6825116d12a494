import type {TestProject} from 'vitest/node';
import {compileModules} from '../.scripts/compile-modules.mjs';

/** Compiles program and tests before the tests run, and before they run again. */
export default async function setup(project: TestProject): Promise<void> {
	await compileModules();
	project.onTestsRerun(compileModules);
}
