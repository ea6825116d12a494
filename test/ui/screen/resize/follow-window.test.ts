import {EventEmitter} from 'node:events';
import {expect, onTestFinished, test, vi} from 'vitest';
import {expectResize} from '../../../../src/ui/screen/resize/follow-window.ts';

const size = {columns: 80, rows: 24};

function open(isHeld: boolean) {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const stdout = new EventEmitter();
	const onResize = vi.fn();
	stdout.on('resize', onResize);
	return {stdout, onResize, screen: {isHeld: () => isHeld, size: () => size}};
}

test('a resize that is expected and never told is acted on, and leaves no listener', () => {
	const {onResize, ...terminal} = open(true);
	expectResize(terminal, {columns: 60, rows: 24});
	vi.advanceTimersByTime(299);
	expect(onResize).not.toHaveBeenCalled();
	vi.advanceTimersByTime(1);
	expect(onResize).toHaveBeenCalledTimes(1);
	expect(terminal.stdout.listenerCount('resize')).toBe(1);
});

test('a resize that is told meanwhile, or no longer waited for, is acted on no second time', () => {
	const {onResize, ...terminal} = open(true);
	expectResize(terminal, {columns: 60, rows: 24});
	terminal.stdout.emit('resize');
	vi.advanceTimersByTime(1000);
	expect(onResize).toHaveBeenCalledTimes(1);

	const drawing = open(false);
	for (let index = 0; index < 20; index++) {
		expectResize(drawing, size);
		vi.advanceTimersByTime(1000);
	}

	expect(drawing.onResize).not.toHaveBeenCalled();
	expect(drawing.stdout.listenerCount('resize')).toBe(1);
});
