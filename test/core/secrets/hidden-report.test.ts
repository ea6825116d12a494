import {expect, test} from 'vitest';
import {hiddenReport, hideInReports} from '../../../src/core/secrets/hidden-report.ts';

test('[8] a report has no credential of a program of the process, also of one that was closed last', () => {
	const ends = ['first', 'last'].map(key => hideInReports(text => text.replaceAll(`${key}-key`, '***')));
	const report = {code: 'failed', message: 'No first-key.', hint: 'No last-key.'} as const;
	expect(hiddenReport(report)).toEqual({code: 'failed', message: 'No ***.', hint: 'No ***.'});
	for (const end of ends) {
		end();
	}

	expect(hiddenReport({code: 'failed', message: 'No last-key.'}).message).toBe('No ***.');
});

test('a report of why credentials can’t be read is not lost', () => {
	const end = hideInReports(() => {
		throw new Error('The settings can’t be read.');
	});
	const report = {code: 'failed', message: 'The settings can’t be read.'} as const;
	expect(hiddenReport(report)).toEqual(report);
	end();
	expect(hiddenReport(report)).toEqual(report);
});
