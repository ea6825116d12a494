import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {findSandbox} from '../../../src/agent/sandbox/find-sandbox.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'service-test-')));
const found = await findSandbox({
	...{workspace: folder, places: {stateFolder: '/nonexistent', homeFolder: '/nonexistent'}, temporary: '/tmp'},
	...{path: process.env['PATH'] ?? '', hasNetwork: false},
});
rmSync(folder, {recursive: true, force: true});

export const hasBubblewrap = found.kind === 'bubblewrap';

/** The end of a test's name that says why it is skipped. */
export const skipped = found.kind === 'none' ? ` (SKIPPED, nothing of this is tested: ${found.why})` : '';
