import {expect, test} from 'vitest';
import {traceTarget} from '../../src/platform/traces/trace-target.ts';

const headers = {};

test.each([
	['http://127.0.0.1:4318/v1/traces', 'on'],
	['http://127.0.0.1:4318/team-b/v1/traces', 'off'],
	['http://127.0.0.1:4318/v1/traces/other', 'off'],
	['http://127.0.0.1:4319/v1/traces', 'off'],
])('[6] consent for a collector is for its path, too: %s', (url, level) => {
	const settings = {traces: {'http://127.0.0.1:4318': 'on'}} as const;
	const target = traceTarget({env: {}, settings, server: 'local', endpoint: {url, headers}});
	expect(target.level).toBe(level);
});
