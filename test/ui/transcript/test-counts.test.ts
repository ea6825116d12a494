import {describe, expect, test} from 'vitest';
import {testCounts} from '../../../src/ui/transcript/test-counts.ts';

describe('the counts of a test run', () => {
	test.each<[runner: string, output: string, counts: string]>([
		[
			'vitest',
			' \u001B[2m Test Files \u001B[22m \u001B[1m\u001B[32m3 passed\u001B[39m\u001B[22m\u001B[90m (3)\u001B[39m\n' +
				'\u001B[2m      Tests \u001B[22m \u001B[1m\u001B[32m42 passed\u001B[39m\u001B[22m\u001B[90m (42)\u001B[39m\n' +
				'   Start at  12:03:04\n   Duration  1.20s (transform 20ms, setup 0ms)',
			'42 passed',
		],
		[
			'vitest',
			' Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 41 passed | 2 skipped (44)',
			'1 failed, 41 passed, 2 skipped',
		],
		[
			'jest',
			'Test Suites: 3 passed, 3 total\nTests:       1,042 passed, 1,042 total\nTime:        1.2 s',
			'1,042 passed',
		],
		['jest', 'Tests:       1 failed, 1 skipped, 41 passed, 43 total', '1 failed, 41 passed, 1 skipped'],
		[
			'node',
			'ℹ tests 42\nℹ suites 3\nℹ pass 42\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 64.5',
			'42 passed',
		],
		[
			'node',
			'1..3\n# tests 3\n# suites 0\n# pass 1\n# fail 2\n# cancelled 0\n# skipped 0\n# todo 0',
			'2 failed, 1 passed',
		],
		['pytest', '===== 42 passed, 1 skipped, 3 warnings in 0.12s =====', '42 passed, 1 skipped'],
		['pytest', '1 failed, 41 passed in 61.20s (0:01:01)', '1 failed, 41 passed'],
		[
			'go',
			'=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- SKIP: TestC (0.00s)\nPASS\nok  \tp\t0.003s',
			'2 passed, 1 skipped',
		],
		[
			'go',
			'ok  \texample.com/a\t0.003s\nok  \texample.com/b\t(cached)\n?   \texample.com/c\t[no test files]',
			'2 passed (2 packages)',
		],
		[
			'cargo',
			'running 40 tests\ntest result: ok. 40 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n' +
				'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
			'42 passed, 1 skipped',
		],
		['mocha', '  41 passing (12ms)\n  1 failing', '1 failed, 41 passed'],
		['bun', ' 42 pass\n 0 fail\nRan 42 tests across 3 files. [12.00ms]', '42 passed'],
		['deno', 'ok | 42 passed | 0 failed (12ms)', '42 passed'],
		['rspec', '42 examples, 1 failure, 2 pending', '1 failed, 39 passed, 2 skipped'],
		['unittest', 'Ran 42 tests in 0.003s\n\nOK', '42 passed'],
		['unittest', 'Ran 42 tests in 0.003s\n\nFAILED (failures=1, errors=1)', '2 failed, 40 passed'],
		['maven', '[INFO] Tests run: 42, Failures: 0, Errors: 0, Skipped: 2', '40 passed, 2 skipped'],
		[
			'dotnet',
			'Passed!  - Failed:     0, Passed:    42, Skipped:     0, Total:    42, Duration: 12 ms - A.dll (net8.0)',
			'42 passed',
		],
		['playwright', '  42 passed (12.3s)', '42 passed'],
	])('%s', (_, output, counts) => {
		expect(testCounts(`some line\n${output}\n`)).toBe(counts);
	});

	test.each([
		'',
		'42 passed',
		'All 42 tests passed, says nobody in 2 lines',
		'0 errors, 0 warnings',
		'Found 2 errors in 3 files.',
		'added 42 packages in 3s',
		'-rw-r--r-- 1 me me 42 passed',
		'Test Files  3 passed (3)',
		'ok 42',
		`${'9'.repeat(300)} passed (1s)`,
	])('are not read out of %j', output => {
		expect(testCounts(output)).toBeUndefined();
	});
});
