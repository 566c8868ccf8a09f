import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Browser, type Page } from '@playwright/test';
import { publicScreens, type PublicScreen } from '../support/public-screens';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const GROUPS = ['landing', 'club', 'offer-', 'board-(?!offer)', 'board-offer|widget', 'verify', 'my-|not-found$|crash|offline'];

/** Opens a screen in a browser of its own, in its state, with nothing half faded in. */
async function open(browser: Browser, { path, before, after }: PublicScreen, width: number): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 800 } });
  const page = await context.newPage();
  await before?.(page);
  await page.goto(path);
  await page.locator('main').waitFor();
  await expect(page.locator('main[aria-busy="true"]')).toHaveCount(0);
  await after?.(page);
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
  return page;
}

async function violations(page: Page, what: string): Promise<object[]> {
  const { violations: found } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return found.map(({ id, nodes }) => ({ what, id, nodes: nodes.map((node) => `${node.html.slice(0, 140)} — ${node.any[0]?.message ?? node.failureSummary?.slice(0, 140) ?? ''}`) }));
}

/** What a finger could miss: smaller than 44 px, unless it is a link inside a sentence. */
const smallTargets = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a[href], input, select, summary, [role=spinbutton]')]
      .filter((target) => target.offsetParent !== null && !target.closest('p:not(.contact):not(.closed-foot), li.problem, .problems, .skip') && !target.matches('.skip, [role=spinbutton], .link-btn'))
      .map((target) => ({ html: target.outerHTML.slice(0, 110), box: target.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.height < 43.5 || box.width < 43.5))
      .map(({ html, box }) => `${Math.round(box.width)}×${Math.round(box.height)} ${html}`),
  );

for (const group of GROUPS) {
  test(`no screen of "${group}" breaks a rule of access, scrolls sideways at 320 or has a target under 44 px`, async ({ browser, request }) => {
    test.setTimeout(400_000);
    const screens = (await publicScreens(request)).filter(({ name }) => new RegExp(`^(${group})`).test(name));
    expect(screens.length).toBeGreaterThan(0);
    const found: object[] = [];
    for (const screen of screens) {
      const phone = await open(browser, screen, 390);
      found.push(...(await violations(phone, `${screen.name} at 390`)));
      if (!screen.board) expect.soft(await smallTargets(phone), `targets of ${screen.name}`).toEqual([]);
      await phone.setViewportSize({ width: 320, height: 640 });
      expect.soft(await phone.evaluate(() => document.documentElement.scrollWidth), `width of ${screen.name}`).toBeLessThanOrEqual(320);
      await phone.context().close();
      const desk = await open(browser, screen, 1280);
      found.push(...(await violations(desk, `${screen.name} at 1280`)));
      await desk.context().close();
    }
    expect(found).toEqual([]);
  });
}
