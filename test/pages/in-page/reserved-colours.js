/** In a page: the reserved colours that something below `.host-content` has, in whatever property. */
(function reservedInRegion() {
  const probe = document.createElement('i')
  document.body.append(probe)
  const colours = ['deep', 'strong', 'on-strong', 'on-deep', 'tint', 'alarm'].map((name) => {
    probe.style.color = `var(--host-${name})`
    return getComputedStyle(probe).color
  })
  probe.remove()
  const properties = ['color', 'background-color', 'border-top-color', 'border-inline-start-color', 'outline-color']
  const found = []
  for (const element of document.querySelectorAll('.host-content *')) {
    const style = getComputedStyle(element)
    for (const property of [...properties, 'box-shadow', 'background-image'])
      if (colours.some((colour) => style.getPropertyValue(property).includes(colour)))
        found.push(`${element.outerHTML.slice(0, 60)} ${property}`)
    if (style.position !== 'static' || style.zIndex !== 'auto') found.push(`${element.tagName} is positioned`)
  }
  return found
})
