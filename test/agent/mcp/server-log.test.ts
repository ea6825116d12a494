import {spawnSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {createServerLog} from '../../../src/agent/mcp/server-log.ts';

const logOf = (lines: readonly string[]) => {
	const log = createServerLog();
	for (const line of lines) {
		log.add(line);
	}

	return log;
};

test('what a missing file of Node prints ends in its version, and the cause is the error', () => {
	const {stderr} = spawnSync(process.execPath, ['/nowhere/server.js'], {encoding: 'utf8'});
	expect(logOf(stderr.trim().split('\n')).cause()).toBe("Error: Cannot find module '/nowhere/server.js'");
});

test('the cause is the last complaint of any runtime, or else the last line', () => {
	const python = [
		'Traceback (most recent call last):',
		'  File "a.py", line 1',
		"ModuleNotFoundError: No module named 'mcp'",
	];
	expect(logOf(python).cause()).toBe("ModuleNotFoundError: No module named 'mcp'");
	expect(logOf(['TypeError [ERR_X]: wrong', '    at main (a.js:1:1)', '', 'Node.js v20.20.2']).cause()).toBe(
		'TypeError [ERR_X]: wrong',
	);
	expect(logOf(['sh: 1: no-server: not found']).cause()).toBe('sh: 1: no-server: not found');
	expect(logOf(['starting', 'bye']).cause()).toBe('bye');
	expect(logOf([]).cause()).toBe(undefined);
});

test('an old complaint that was followed by a long log is not the cause', () => {
	expect(logOf(['Error: old', ...Array.from({length: 100}, (_, index) => `line ${index}`)]).cause()).toBe('line 99');
});
