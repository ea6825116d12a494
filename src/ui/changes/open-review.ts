import type {Interaction} from '../../platform/interaction.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {FullScreen} from '../screen/full-screen.ts';
import {createReviewView} from './review-view.ts';

type Dependencies = {readonly palette: Palette; readonly fullScreen: FullScreen; readonly suspend: () => void};

/** Returns how changes of files are shown in the whole window. */
export function openReview({fullScreen, ...dependencies}: Dependencies): NonNullable<Interaction['review']> {
	return ({isReadOnly = false, ...review}) =>
		new Promise(resolve => {
			fullScreen.open(createReviewView({...dependencies, ...review, isReadOnly, fullScreen, onEnd: resolve}));
		});
}
