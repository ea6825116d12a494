import {repairCart} from './broken-cart.ts';
import {fixFailingTest} from './failing-test.ts';
import type {Work} from './steps.ts';
import {fixTypo} from './typo.ts';
import {diagnoseShop} from './web-shop.ts';

const known: readonly Work[] = [fixFailingTest, fixTypo, repairCart, diagnoseShop];

/** Returns the next step of the work that the prompt asks for, or undefined if it asks for none. */
export const nextStep: Work = (prompt, results) => {
	for (const work of known) {
		const step = work(prompt, results);
		if (step) {
			return step;
		}
	}

	return undefined;
};
