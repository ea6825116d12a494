import {render} from 'ink-testing-library';
import {expect, test} from 'vitest';
import {RenderError} from '../../../../src/ui/screen/ink/render-error.ts';

test('an error of a component is passed on once, and not drawn', async () => {
	const failed: unknown[] = [];
	const fail = (error: unknown) => void failed.push(error);
	const error = new Error('boom \u001B[31m');
	const {lastFrame, rerender, unmount} = render(<RenderError error={error} fail={fail} />);
	await expect.poll(() => failed).toEqual([error]);
	rerender(<RenderError error={error} fail={fail} />);
	unmount();
	expect(failed).toEqual([error]);
	expect(lastFrame()?.trim()).toBe('');
});
