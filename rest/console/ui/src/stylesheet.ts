/** RulesElement is an element that holds rules as style elements do. The policy for content forbids those, and allows adopted style sheets. */
class RulesElement extends HTMLElement {
  private readonly sheet = new CSSStyleSheet();

  override set textContent(rules: string) {
    this.sheet.replaceSync(rules);
  }

  connectedCallback(): void {
    this.hidden = true;
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
  }

  disconnectedCallback(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
  }
}

/** The build lets xterm create this element in the place of style elements. */
customElements.define('style-sheet', RulesElement);
